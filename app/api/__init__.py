"""The REST API, a module per noun."""
