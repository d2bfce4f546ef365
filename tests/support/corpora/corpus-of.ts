import { createDocumentReader } from '@calls/corpora/extraction/document-reader';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { insertCorpus } from '@calls/store/tables/corpora';
import { insertUpload } from '@calls/store/tables/corpus-documents';
import { replaceText, takeSource } from '@calls/store/tables/corpus-loading';
import { insertCorpusSource } from '@calls/store/tables/corpus-sources';

export type MarkdownDocument = string | { text: string; exampleQueries: string[] };

/** A corpus of the account, of Markdown documents that are loaded; its id. */
export async function corpusOf(
  db: Database,
  accountId: string,
  ...documents: readonly MarkdownDocument[]
): Promise<string> {
  const corpusId = newId();
  const sourceId = newId();
  const createdAt = new Date();
  await insertCorpus(db, {
    corpus_id: corpusId,
    account_id: accountId,
    name: '',
    description: '',
    created_at: createdAt,
  });
  const source = { accountId, corpusId, sourceId, name: '', description: '', createdAt };
  await insertCorpusSource(db, { ...source, spec: {} });
  const taken = (await takeSource(db, sourceId, 1, 60_000))!;
  await using reader = createDocumentReader({ log: silentLogger });
  const { signal } = new AbortController();
  for (const [i, document] of documents.entries()) {
    const { text, exampleQueries } =
      typeof document === 'string' ? { text: document, exampleQueries: [] } : document;
    const documentId = newId();
    const upload = { documentId, accountId, corpusId, createdAt, mimeType: 'text/markdown' };
    await insertUpload(db, { ...upload, fileName: `${i}.md` });
    await db
      .updateTable('corpus_documents')
      .set({ source_id: sourceId })
      .where('document_id', '=', documentId)
      .execute();
    const read = await reader.read(
      { mimeType: 'text/markdown', charset: null, url: null, bytes: Buffer.from(text) },
      signal,
    );
    await replaceText(db, taken, { documentId, exampleQueries }, read);
  }
  return corpusId;
}
