"""What lists are built with: pages, order, filters of the address, chosen rows."""
