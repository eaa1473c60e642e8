"""The demo tenant and `demo.json`."""
