import { documentMimeType } from '@calls/corpora/mime-types';
import { newId } from '@calls/foundation/ids';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { Database } from '@calls/store/store';
import { storeUpload, uploadState } from '@calls/store/tables/corpus-documents';
import { Router, type Request } from 'express';
import type { UploadGrant, UploadTokens } from '../corpora/upload-tokens.ts';
import { cors } from './cors.ts';
import { onlyMethods } from './route-guards.ts';
import { HttpProblem } from '../problems/problem.ts';

export interface UploadRoutesDeps {
  db: Database;
  storage: ObjectStorage;
  uploadTokens: UploadTokens;
}

/**
 * Receives files at the URLs returned by `POST /api/corpora/{corpus_id}/uploads`. The URL is the permission
 * and works once.
 */
export function uploadRoutes({ db, storage, uploadTokens }: UploadRoutesDeps): Router {
  const router = Router();
  const route = router.route('/uploads/:token');
  route.all(cors);
  route.put(async (request, response) => {
    const grant = granted(uploadTokens, request.params.token);
    assertFits(request, grant);
    await assertAwaited(db, grant);
    const { documentId } = grant;
    const objectKey = `corpora/${grant.accountId}/${grant.corpusId}/${documentId}/${newId()}`;
    const { bytes } = await storage.put(objectKey, limited(request, grant.maxBytes));
    if (bytes > 0 && (await storeUpload(db, documentId, { objectKey, sizeBytes: bytes }))) {
      response.status(200).end();
      return;
    }
    await storage.delete(objectKey);
    if (bytes === 0) throw refused(400, 'empty_upload', 'The file is empty.');
    await assertAwaited(db, grant);
  });
  route.all(onlyMethods('PUT'));
  return router;
}

function granted(tokens: UploadTokens, token: string): UploadGrant {
  const grant = tokens.read(token);
  if (grant === 'forged') throw refused(403, 'invalid_upload_url', 'The upload URL is not valid.');
  if (grant === 'expired') {
    throw refused(403, 'upload_url_expired', 'The upload URL has expired; request a new one.');
  }
  return grant;
}

function assertFits(request: Request, { mimeType, maxBytes }: UploadGrant): void {
  if (documentMimeType(request.get('Content-Type') ?? '') !== mimeType) {
    const detail = `The Content-Type of the file must be ${mimeType}.`;
    throw refused(415, 'unsupported_media_type', detail);
  }
  if (request.get('Content-Encoding') !== undefined) {
    throw refused(415, 'unsupported_media_type', 'The file must be sent without a Content-Encoding.');
  }
  if (Number(request.get('Content-Length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function assertAwaited(db: Database, { documentId }: UploadGrant): Promise<void> {
  const state = await uploadState(db, documentId);
  if (state === 'there')
    throw refused(409, 'already_uploaded', 'The file was already uploaded; the URL works once.');
  if (state === 'gone') throw refused(404, 'not_found', 'The corpus or the document was deleted.');
}

/** Throws a problem if the body is longer; the stored part is dropped. */
async function* limited(request: Request, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function tooLarge(maxBytes: number): HttpProblem {
  return refused(413, 'too_large', `The file must be at most ${maxBytes} bytes.`);
}

/** The connection closes after the response, because unread body bytes would be parsed as the next request. */
function refused(status: number, code: string, detail: string): HttpProblem {
  return new HttpProblem(status, code, detail, { headers: { Connection: 'close' } });
}
