import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { TextDecoder } from 'node:util';

/** Decodes a body in the charset that its content type names, and in UTF-8 where it names none that is known. */
export function textDecoderOf(contentType = ''): TextDecoder {
  const charset = /;\s*charset="?([^";\s]+)/iu.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** One text for each name. Node reads the bytes of headers as Latin-1; those that are UTF-8 were meant so. */
export function headersByName(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const bytes = Buffer.from(Array.isArray(value) ? value.join(', ') : value, 'latin1');
      return [[name, isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')]];
    }),
  );
}
