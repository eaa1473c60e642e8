"""Tags and filters of the console's templates."""
