"""Other places where records may live, to show that nothing after the counting depends on it."""
