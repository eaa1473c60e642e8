"""Which memories a later statement says are over: habits, states, and what is called off."""
