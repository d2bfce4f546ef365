/** What forbids requests to a URL, or null: the rule of the client that will make them. */
export type UrlRule = (url: URL) => string | null;
