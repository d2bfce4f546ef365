const UNITS = ['B', 'kB', 'MB', 'GB'];

/** `512 B`, `1.5 kB`, `12 MB`; a kB has 1,000 B. */
export function bytesText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** unit;
  return `${unit === 0 || amount >= 10 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
