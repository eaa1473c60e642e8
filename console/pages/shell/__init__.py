"""What surrounds every page: access, navigation, rendering, dialogs."""
