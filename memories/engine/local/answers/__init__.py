"""Answers of chat without a model: which memories answer, and how they are put to the user."""
