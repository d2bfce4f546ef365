/** The part of sherpa-onnx-node that is used here; the package brings no types. */
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
      /** Pieces as they are made; false stops. */
      onProgress: (piece: { samples: Float32Array; progress: number }) => boolean;
    }): Promise<unknown>;
  }
  const sherpa: {
    OfflineRecognizer: { createAsync(config: object): Promise<OfflineRecognizer> };
    OfflineTts: { createAsync(config: object): Promise<OfflineTts> };
  };
  export default sherpa;
}
