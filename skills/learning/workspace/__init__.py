"""The skills of a space as a learner works on them, loaded and written back."""
