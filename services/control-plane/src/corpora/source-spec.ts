import { SOURCE_SPEC_KINDS, type SourceSpec } from '@calls/api-contract/rest/corpus';
import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import type { Issue } from '@calls/foundation/schema/validator';
import type { DocumentChoice } from '@calls/store/tables/corpus-documents';

/** What the request body says to load; null if it has no spec. */
export function specOf(body: SourceSpec): SourceSpec | null {
  const given = SOURCE_SPEC_KINDS.filter((kind) => body[kind] !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given.map((kind) => [kind, body[kind]]));
}

/** The uploads that a source requests, with their paths in the body. */
export function choicesOf(spec: SourceSpec): { path: string; choice: DocumentChoice }[] {
  const { upload, advanced } = spec;
  const uploads = (upload?.documentIds ?? []).map((documentId, i) => ({
    path: `upload.documentIds.${i}`,
    choice: { documentId: documentId.toLowerCase(), exampleQueries: [] },
  }));
  const documents = (advanced?.documents ?? []).map(({ documentId, exampleQueries = [] }, i) => ({
    path: `advanced.documents.${i}.documentId`,
    choice: { documentId: documentId.toLowerCase(), exampleQueries },
  }));
  return [...uploads, ...documents];
}

/** All issues that can be found without the database. */
export function specIssues(spec: SourceSpec | null, outbound: UrlGuard): Issue[] {
  const kinds = Object.keys(spec ?? {});
  if (spec === null || kinds.length !== 1) {
    return [{ path: kinds[1] ?? '', message: `exactly one of ${SOURCE_SPEC_KINDS.join(', ')} is required` }];
  }
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const { path, choice } of choicesOf(spec)) {
    if (seen.has(choice.documentId)) issues.push({ path, message: 'is a duplicate' });
    seen.add(choice.documentId);
  }
  for (const kind of ['crawl', 'loadSpec'] as const) {
    for (const [i, url] of (spec[kind]?.startUrls ?? []).entries()) {
      const message = urlRefusal(outbound, url);
      if (message !== null) issues.push({ path: `${kind}.startUrls.${i}`, message });
    }
  }
  return issues;
}
