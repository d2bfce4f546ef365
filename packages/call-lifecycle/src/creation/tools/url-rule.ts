/** Why requests to a URL are not allowed, or null. */
export type UrlRule = (url: URL) => string | null;
