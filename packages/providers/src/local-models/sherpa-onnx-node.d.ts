/** The types that are used here; the package has none. */
declare module 'sherpa-onnx-node' {
  interface OfflineStream {
    acceptWaveform(audio: { samples: Float32Array; sampleRate: number }): void;
  }
  interface OfflineRecognizer {
    createStream(): OfflineStream;
    decodeAsync(stream: OfflineStream): Promise<{ text: string }>;
  }
  interface OfflineTts {
    readonly sampleRate: number;
    generateAsync(request: {
      text: string;
      sid: number;
      speed: number;
      enableExternalBuffer: boolean;
      /** Called with each part; false stops the synthesis. */
      onProgress: (piece: { samples: Float32Array; progress: number }) => boolean;
    }): Promise<unknown>;
  }
  const sherpa: {
    OfflineRecognizer: { createAsync(config: object): Promise<OfflineRecognizer> };
    OfflineTts: { createAsync(config: object): Promise<OfflineTts> };
  };
  export default sherpa;
}
