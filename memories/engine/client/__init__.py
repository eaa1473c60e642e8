"""HTTP client for model providers: chat completions, JSON answers, streaming, the circuit breaker."""
