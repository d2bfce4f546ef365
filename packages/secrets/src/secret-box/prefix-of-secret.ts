const MAX_CHARACTERS = 8;
const SHOWN_PART = 1 / 4;

/** What may be shown of a stored secret, for its owner to tell it from others: its first characters, a quarter of them at most. */
export function prefixOfSecret(secret: string): string {
  const characters = Array.from(secret);
  return characters.slice(0, Math.min(MAX_CHARACTERS, Math.floor(characters.length * SHOWN_PART))).join('');
}
