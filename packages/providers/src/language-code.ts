/** The language of a BCP 47 tag as ISO 639-1, null where it has no two-letter code or is no tag. */
export function languageCode(tag: string | null): string | null {
  if (tag === null) return null;
  try {
    const { language } = new Intl.Locale(tag);
    return language.length === 2 ? language : null;
  } catch {
    return null;
  }
}
