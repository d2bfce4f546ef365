import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';

export interface UploadedFile {
  /** File name from the client; untrusted. */
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** One file, in the field `file`, and text fields. */
export interface Upload {
  file: UploadedFile;
  fields: Readonly<Record<string, string>>;
}

const MAX_FIELD_BYTES = 8192;
const MAX_HEADER_PAIRS = 32;

export function isUpload(request: Request): boolean {
  return Boolean(request.is('multipart/form-data'));
}

/**
 * Parses a body of `multipart/form-data` that the body parsers have read. `fields` lists the allowed text fields.
 * Throws an HttpProblem if the body is malformed, or a part is missing or unknown.
 */
export function readUpload(request: Request, fields: readonly string[] = []): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const malformed = (): void => {
      reject(new HttpProblem(400, 'malformed_request', 'The multipart body is malformed.'));
    };
    const invalid = (path: string, message: string): void => {
      reject(invalidRequest('request body', [{ path, message }]));
    };
    const contentType = request.headers['content-type'] ?? '';
    if (!/;\s*boundary=/iu.test(contentType)) {
      malformed();
      return;
    }
    let file: UploadedFile | null = null;
    const texts = new Map<string, string>();
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        parts: fields.length + 1,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        headerPairs: MAX_HEADER_PAIRS,
      },
    });
    parser.on('file', (field, stream, name, _encoding, mimeType) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', malformed);
      stream.on('end', () => {
        file = { name, mimeType, bytes: Buffer.concat(chunks) };
      });
      if (field !== 'file') invalid(field, 'is not a known field');
    });
    parser.on('field', (field, text, _nameIsCut, textIsCut) => {
      if (!fields.includes(field))
        invalid(field, field === 'file' ? 'must be a file' : 'is not a known field');
      else if (textIsCut) invalid(field, `must be at most ${MAX_FIELD_BYTES} bytes long`);
      texts.set(field, text);
    });
    parser.on('partsLimit', () => {
      invalid('', `must have one file and only these other parts: ${fields.join(', ') || 'none'}`);
    });
    parser.on('error', malformed);
    parser.on('finish', () => {
      if (file) resolve({ file, fields: Object.fromEntries(texts) });
      else invalid('file', 'is required');
    });
    parser.end(request.body);
  });
}
