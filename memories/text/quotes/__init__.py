"""Who said what: lines of a transcript, quotations in answers, and the wording of a dated quotation."""
