/** Whether `words` contain the agent's full name. Case and accents are ignored. */
export function isAddressed(words: string, name: string): boolean {
  const wanted = plainWords(name);
  return wanted !== '' && ` ${plainWords(words)} `.includes(` ${wanted} `);
}

/** Letters and digits in lower case without accents, separated by single spaces. */
function plainWords(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
