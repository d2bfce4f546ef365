import { expect } from '@jest/globals';
import type {
  Corpus,
  CorpusDocument,
  CorpusQueryResult,
  CorpusSource,
} from '@calls/api-contract/rest/corpus';
import type { ApiResponse, TestAccount } from '../control-plane-harness.ts';
import { eventually } from '../eventually.ts';

/** API client for one corpus. */
export class CorpusClient {
  readonly path: string;
  readonly corpusId: string;
  readonly #account: TestAccount;

  static async create(account: TestAccount, fields: Partial<Corpus> = {}): Promise<CorpusClient> {
    const created = await account.post<Corpus>('/api/corpora', { name: 'Handbook', ...fields });
    expect(created.status).toBe(201);
    return new CorpusClient(account, created.body.corpusId);
  }

  private constructor(account: TestAccount, corpusId: string) {
    this.#account = account;
    this.corpusId = corpusId;
    this.path = `/api/corpora/${corpusId}`;
  }

  async show(): Promise<Corpus> {
    return (await this.#account.request<Corpus>(this.path)).body;
  }

  async requestUpload(mimeType: string, fileName?: string): Promise<{ documentId: string; url: string }> {
    const response = await this.#account.post<{ documentId: string; presignedUrl: string }>(
      `${this.path}/uploads`,
      { mimeType, ...(fileName !== undefined && { fileName }) },
    );
    expect(response.status).toBe(201);
    return { documentId: response.body.documentId, url: response.body.presignedUrl };
  }

  /** Uploads a file and returns its document id. */
  async upload(content: string | Uint8Array, mimeType = 'text/plain', fileName?: string): Promise<string> {
    const { documentId, url } = await this.requestUpload(mimeType, fileName);
    expect((await put(url, content, mimeType)).status).toBe(200);
    return documentId;
  }

  addSource(body: Record<string, unknown>): Promise<ApiResponse<CorpusSource>> {
    return this.#account.post<CorpusSource>(`${this.path}/sources`, body);
  }

  sourcePath(source: CorpusSource): string {
    return `${this.path}/sources/${source.sourceId}`;
  }

  async source(source: CorpusSource): Promise<CorpusSource> {
    return (await this.#account.request<CorpusSource>(this.sourcePath(source))).body;
  }

  /** Resolves when the source is loaded. */
  ready(source: CorpusSource): Promise<CorpusSource> {
    return eventually(async () => {
      const shown = await this.source(source);
      expect(shown.stats.status).toBe('SOURCE_STATUS_READY');
      return shown;
    }, 150_000);
  }

  async documents(source: CorpusSource): Promise<CorpusDocument[]> {
    return (await this.#account.list<CorpusDocument>(`${this.sourcePath(source)}/documents?pageSize=100`))
      .results;
  }

  async query(query: string, maxResults?: number): Promise<CorpusQueryResult[]> {
    const response = await this.#account.post<CorpusQueryResult[]>(`${this.path}/query`, {
      query,
      ...(maxResults !== undefined && { maxResults }),
    });
    expect(response.status).toBe(200);
    return response.body;
  }
}

/** Uploads with exactly this Content-Type header, or without one if it is null. */
export function put(url: string, content: string | Uint8Array, mimeType: string | null): Promise<Response> {
  return fetch(url, {
    method: 'PUT',
    body: Buffer.from(content),
    headers: mimeType === null ? {} : { 'Content-Type': mimeType },
  });
}
