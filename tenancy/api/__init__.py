"""What all REST APIs share: reading bodies, checking keys, paying, answering, and the console API."""
