"""What people say, in plain phrases and idioms, when something of theirs or of somebody is over."""
