import { pipeline } from 'node:stream/promises';
import type { StoredObject } from '@calls/object-storage/object-storage';
import type { Request, Response } from 'express';
import { HttpProblem } from '../problems/problem.ts';

/** A client that reads nothing for this long is disconnected. */
const STALL_LIMIT_MS = 30_000;

export interface ObjectHeaders {
  contentType: string;
  /** File name for downloads: letters, digits, dots and hyphens. */
  fileName: string;
  /** Strong entity tag, with quotes. */
  etag: string;
}

/**
 * Streams an object or the requested range of it (RFC 9110, section 14), and disposes of it. The response is 304 if the
 * client already has it.
 */
export async function sendObject(
  request: Request,
  response: Response,
  object: StoredObject,
  { contentType, fileName, etag }: ObjectHeaders,
): Promise<void> {
  try {
    if (request.get('If-None-Match')?.includes(etag)) {
      response.status(304).set('ETag', etag).end();
      return;
    }
    const range = rangeOf(request, object.bytes, etag);
    const { start, end } = range ?? { start: 0, end: object.bytes };
    response.status(range ? 206 : 200).set({
      'Content-Type': contentType,
      'Content-Length': String(end - start),
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Accept-Ranges': 'bytes',
      ETag: etag,
    });
    if (range) response.set('Content-Range', `bytes ${start}-${end - 1}/${object.bytes}`);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.setTimeout(STALL_LIMIT_MS, () => response.destroy());
    await pipeline(object.read(start, end), response);
  } catch (thrown) {
    if (!isClientDisconnected(thrown)) throw thrown;
  } finally {
    await object[Symbol.asyncDispose]();
  }
}

function isClientDisconnected(thrown: unknown): boolean {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** The range to send; null for the whole object. Several ranges, and ranges that cannot be parsed, count as none. */
function rangeOf(request: Request, bytes: number, etag: string): { start: number; end: number } | null {
  const condition = request.get('If-Range');
  if (condition !== undefined && condition !== etag) return null;
  const ranges = request.range(bytes);
  if (ranges === -1) {
    throw new HttpProblem(
      416,
      'range_not_satisfiable',
      `The range is outside the ${bytes} bytes of the content.`,
      {
        headers: { 'Content-Range': `bytes */${bytes}` },
      },
    );
  }
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes') return null;
  const [range] = ranges;
  return range && ranges.length === 1 ? { start: range.start, end: range.end + 1 } : null;
}
