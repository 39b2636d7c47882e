"""A lab's profile as values for its page: people, works, systems, and where each fact is from."""
