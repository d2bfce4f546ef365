import type { CorpusDocument } from '@calls/api-contract/rest/corpus';
import type { CorpusDocumentRow } from '@calls/store/tables/corpus-documents';

export function corpusDocumentView(row: CorpusDocumentRow): CorpusDocument {
  const title = row.title ?? row.file_name;
  return {
    corpusId: row.corpus_id,
    // Views always have a source.
    sourceId: row.source_id ?? '',
    documentId: row.document_id,
    created: row.created_at.toISOString(),
    mimeType: row.mime_type,
    metadata: {
      ...(row.url !== null && { publicUrl: row.url }),
      ...(row.language !== null && { language: row.language }),
      ...(title !== null && title !== '' && { title }),
      ...(row.description !== null && { description: row.description }),
      ...(row.published_at && { published: row.published_at.toISOString() }),
      ...(row.example_queries.length > 0 && { exampleQueries: row.example_queries }),
    },
    sizeBytes: String(row.size_bytes ?? 0),
  };
}
