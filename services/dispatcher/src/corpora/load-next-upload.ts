import { documentMimeType } from '@calls/corpora/mime-types';
import { UnreadableDocumentError } from '@calls/corpora/extraction/document-reader';
import type { ReadDocument } from '@calls/corpora/extraction/read-document';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { markUnreadable, nextUpload, replaceText, writeIfCurrent } from '@calls/store/tables/corpus-loading';
import type { LoadRun } from './load-run.ts';

/** Loads one of the source's uploads; false when all of them are loaded. */
export async function loadNextUpload(run: LoadRun): Promise<boolean> {
  const { db, source } = run;
  const upload = await nextUpload(db, source);
  if (!upload) return false;
  const documentId = upload.document_id;
  const text = await orReason(read(run, { key: upload.object_key ?? '', contentType: upload.mime_type }));
  return writeIfCurrent(db, source, (tx) =>
    typeof text === 'string'
      ? markUnreadable(tx, source, documentId, `${upload.file_name || documentId}: ${text}`)
      : replaceText(tx, source, { documentId, exampleQueries: upload.example_queries }, text),
  );
}

async function read(run: LoadRun, file: { key: string; contentType: string }): Promise<ReadDocument> {
  const mimeType = documentMimeType(file.contentType);
  const bytes = await readObject(run.storage, file.key);
  if (!mimeType || !bytes) throw new UnreadableDocumentError('the file no longer exists');
  return run.reader.read({ mimeType, charset: null, url: null, bytes }, run.signal);
}

/**
 * Returns the document, or the reason why it is permanently unreadable. Rejects with errors that a retry may
 * resolve.
 */
async function orReason(reading: Promise<ReadDocument>): Promise<ReadDocument | string> {
  try {
    const document = await reading;
    return document.chunks.length > 0 ? document : 'the document has no text';
  } catch (thrown) {
    if (thrown instanceof UnreadableDocumentError) return thrown.message;
    throw thrown;
  }
}

/** The size of document objects is limited when they are written. */
async function readObject(storage: ObjectStorage, key: string): Promise<Uint8Array | null> {
  await using object = await storage.open(key);
  if (!object) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of object.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
