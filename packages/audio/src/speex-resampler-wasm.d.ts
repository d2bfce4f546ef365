/** The part of the Emscripten module in use. Pointers and lengths are 32-bit numbers. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  export interface SpeexResamplerModule {
    /** Replaced when the memory grows: do not retain it across calls. */
    readonly HEAP16: Int16Array;
    readonly HEAP32: Int32Array;
    _malloc(bytes: number): number;
    _speex_resampler_init(
      channels: number,
      inputRateHz: number,
      outputRateHz: number,
      quality: number,
      errorPointer: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    _speex_resampler_skip_zeros(state: number): number;
    _speex_resampler_reset_mem(state: number): number;
    _speex_resampler_get_output_latency(state: number): number;
    _speex_resampler_process_int(
      state: number,
      channel: number,
      inputPointer: number,
      inputLengthPointer: number,
      outputPointer: number,
      outputLengthPointer: number,
    ): number;
  }
  export default function load(): Promise<SpeexResamplerModule>;
}
