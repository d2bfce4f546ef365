/** Supported document types. */
export const DOCUMENT_MIME_TYPES = [
  'text/plain',
  'text/markdown',
  'text/html',
  'text/csv',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
] as const;
export type DocumentMimeType = (typeof DOCUMENT_MIME_TYPES)[number];

const ALIASES: Readonly<Record<string, DocumentMimeType>> = {
  'text/x-markdown': 'text/markdown',
  'application/xhtml+xml': 'text/html',
};

/** The type of a Content-Type header, without parameters, in lower case. */
function mimeTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Null for an unsupported type. */
export function documentMimeType(contentType: string): DocumentMimeType | null {
  const type = mimeTypeOf(contentType);
  if (Object.hasOwn(ALIASES, type)) return ALIASES[type] ?? null;
  return DOCUMENT_MIME_TYPES.find((known) => known === type) ?? null;
}

/** The `charset` parameter of a Content-Type header; null if absent. */
export function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/iu.exec(contentType)?.[1] ?? null;
}
