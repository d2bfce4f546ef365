import { createDocumentReader } from '@calls/corpora/extraction/document-reader';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { insertCorpus } from '@calls/store/tables/corpora';
import { insertUpload } from '@calls/store/tables/corpus-documents';
import { replaceText, claimSource, type DocumentText } from '@calls/store/tables/corpus-loading';
import { insertCorpusSource } from '@calls/store/tables/corpus-sources';

export type MarkdownDocument = string | { text: string; exampleQueries: string[] };

/** Creates a corpus of loaded Markdown documents and returns its id. */
export async function corpusOf(
  db: Database,
  accountId: string,
  ...documents: readonly MarkdownDocument[]
): Promise<string> {
  const corpus = await FilledCorpus.create(db, accountId);
  await using reader = createDocumentReader({ log: silentLogger });
  const { signal } = new AbortController();
  for (const [i, document] of documents.entries()) {
    const { text, exampleQueries } =
      typeof document === 'string' ? { text: document, exampleQueries: [] } : document;
    const read = await reader.read(
      { mimeType: 'text/markdown', charset: null, url: null, bytes: Buffer.from(text) },
      signal,
    );
    await corpus.add(`${i}.md`, read, exampleQueries);
  }
  return corpus.corpusId;
}

type Source = NonNullable<Awaited<ReturnType<typeof claimSource>>>;

/** A corpus with one source whose documents are stored like a dispatcher does. */
export class FilledCorpus {
  readonly corpusId: string;
  readonly #db: Database;
  readonly #source: Source;

  static async create(db: Database, accountId: string): Promise<FilledCorpus> {
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
    return new FilledCorpus(db, (await claimSource(db, sourceId, 1, 60_000))!);
  }

  private constructor(db: Database, source: Source) {
    this.#db = db;
    this.#source = source;
    this.corpusId = source.corpus_id;
  }

  /** Adds a document and returns its id. */
  async add(fileName: string, text: DocumentText, exampleQueries: readonly string[] = []): Promise<string> {
    const documentId = newId();
    await insertUpload(this.#db, {
      documentId,
      accountId: this.#source.account_id,
      corpusId: this.corpusId,
      createdAt: new Date(),
      mimeType: 'text/markdown',
      fileName,
    });
    await this.#db
      .updateTable('corpus_documents')
      .set({ source_id: this.#source.source_id })
      .where('document_id', '=', documentId)
      .execute();
    await replaceText(this.#db, this.#source, { documentId, exampleQueries }, text);
    return documentId;
  }
}
