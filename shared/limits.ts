// Sizes that the page shows as well as the server checks; apart from the schemas, which stay out of the page.

/** Characters of a post. */
export const SUMMARY_MAX_CHARS = 4_000
/** Characters of a comment. */
export const COMMENT_MAX_CHARS = 2_000
/** Characters of a search. */
export const SEARCH_MAX_CHARS = 200
