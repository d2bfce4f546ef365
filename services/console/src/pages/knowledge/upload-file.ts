import { problemOf, unreachable } from '../../api/api-problem.ts';
import { dataOf, api } from '../../api/client.ts';
import { jsonOrText } from '../../components/json-text.ts';
import { documentTypeOf } from './corpus-labels.ts';

/** Uploads a file to a corpus and resolves with the id of the document. `onProgress`: the sent part, 0 to 1. */
export async function uploadFile(
  corpusId: string,
  file: File,
  onProgress: (part: number) => void,
): Promise<string> {
  const mimeType = documentTypeOf(file);
  const { documentId, presignedUrl } = await dataOf(
    api.POST('/api/corpora/{corpus_id}/uploads', {
      params: { path: { corpus_id: corpusId } },
      body: { mimeType, fileName: file.name },
    }),
  );
  // The page may have been opened at another address of the service than the public one, so only the path is used.
  await put(new URL(presignedUrl).pathname, file, mimeType, onProgress);
  return documentId;
}

/** Uses XMLHttpRequest, because `fetch` does not report the progress of uploads. */
function put(path: string, file: File, mimeType: string, onProgress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', path);
    request.setRequestHeader('Content-Type', mimeType);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0),
    );
    request.addEventListener('error', () => reject(unreachable()));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status < 300) resolve();
      else reject(problemOf(new Response(null, { status }), jsonOrText(responseText)));
    });
    request.send(file);
  });
}
