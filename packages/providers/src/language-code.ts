/** Whether a BCP 47 tag is English; tags with underscores, which programs use, count too. */
export function isEnglish(tag: string): boolean {
  return /^en(?:[-_]|$)/i.test(tag);
}

/** The ISO 639-1 language of a BCP 47 tag; null if it has no two-letter code or the tag is malformed. */
export function languageCode(tag: string | null): string | null {
  if (tag === null) return null;
  try {
    const { language } = new Intl.Locale(tag);
    return language.length === 2 ? language : null;
  } catch {
    return null;
  }
}
