"""Learning without a model: lessons in fixed wordings of two languages."""
