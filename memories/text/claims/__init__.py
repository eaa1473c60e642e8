"""What a person's sentence claims of them: states, likings, wishes, notes, reminders, by rules for both languages."""
