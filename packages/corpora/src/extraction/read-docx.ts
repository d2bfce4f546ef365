import mammoth from 'mammoth';
import type { ExtractedText } from './extracted-text.ts';
import { readHtml } from './read-html.ts';

/** Headings by their styles; pictures are left out. */
export async function readDocx(bytes: Uint8Array): Promise<ExtractedText> {
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes) },
    { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })) },
  );
  return readHtml(value, null);
}
