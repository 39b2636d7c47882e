"""What an applicant states: topics, statement, wanted facets, how much the resume counts."""
