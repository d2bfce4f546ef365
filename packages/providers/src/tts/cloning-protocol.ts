/** A recording of the voice to clone, and what to call it. */
export interface VoiceSample {
  name: string;
  description: string | null;
  /** BCP 47. */
  language: string;
  audio: Uint8Array;
  /** MIME type of the audio (`audio/wav`) and its file extension (`wav`). */
  mimeType: string;
  extension: string;
}

/** A vendor's request that creates a voice from one recording: a POST of `multipart/form-data`. */
export interface CloningProtocol {
  path: string;
  headers: (apiKey: string) => Readonly<Record<string, string>>;
  fileField: string;
  fields: (sample: VoiceSample) => readonly (readonly [string, string])[];
  /** Field of the JSON response that has the id of the new voice. */
  idField: string;
}
