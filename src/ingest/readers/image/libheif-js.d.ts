/** The part of libheif's WebAssembly build that is used here; the package describes the rest only. */
declare module 'libheif-js/wasm-bundle.js' {
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    /** Fills `data` with RGBA and calls back with it, or with null where the picture cannot be decoded. */
    display(
      target: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number },
      done: (decoded: object | null) => void,
    ): void;
    free(): void;
  }
  const libheif: {
    readonly HeifDecoder: new () => {
      /** Empty where the file cannot be parsed. */
      decode(bytes: Uint8Array): readonly HeifImage[];
    };
  };
  export default libheif;
}
