"""Rules for single clauses, in both languages: tastes, states, wishes, reminders, notes, questionnaires."""
