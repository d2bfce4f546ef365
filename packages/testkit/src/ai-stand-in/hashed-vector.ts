/** Share of a word's weight that its character trigrams have: related forms of a word are similar. */
const TRIGRAM_WEIGHT = 0.35;

export interface HashedVectorOptions {
  dimensions: number;
  /** Words with one meaning. */
  synonyms?: readonly (readonly string[])[];
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * A bag of hashed words and character trigrams, of unit length. It stands in for an embedding model: texts that share words
 * or parts of words are similar. It does not represent meanings, except those of the given synonyms.
 */
export function hashedVector(text: string, { dimensions, synonyms = [] }: HashedVectorOptions): Float32Array {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) {
    const meaning = synonyms.findIndex((words) => words.includes(word));
    const term = meaning === -1 ? word : `meaning ${meaning}`;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const vector = new Float32Array(dimensions);
  for (const [term, count] of counts) {
    // Frequent words carry little meaning, and short words are frequent.
    const weight = (1 + Math.log(count)) * Math.min(1, term.length / 6);
    add(vector, term, weight);
    const padded = `^${term}$`;
    const trigrams = padded.length - 2;
    for (let i = 0; i < trigrams; i += 1)
      add(vector, `#${padded.slice(i, i + 3)}`, (weight * TRIGRAM_WEIGHT) / Math.sqrt(trigrams));
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((number) => number / length);
}

/** At a place, and with a sign, that depend on the term. */
function add(vector: Float32Array, term: string, weight: number): void {
  const hash = fnv1a(term);
  const place = (hash >>> 1) % vector.length;
  vector[place] = (vector[place] ?? 0) + (hash & 1 ? weight : -weight);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The last bits of FNV-1a depend on few bits of the text.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
