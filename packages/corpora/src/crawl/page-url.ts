const MAX_URL_CHARS = 2048;

/** The canonical form of a page's address, used to compare pages; null for addresses that crawls do not visit. */
export function pageUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url.href.length <= MAX_URL_CHARS ? url.href : null;
}
