const READ_LIMIT_MS = 60_000;

/** Makes the browser save a text as a file. */
export function download(fileName: string, mediaType: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: mediaType }));
  link.download = fileName;
  link.click();
  // Some browsers read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), READ_LIMIT_MS);
}
