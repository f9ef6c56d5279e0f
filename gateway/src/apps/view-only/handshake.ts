/** What both directions of an RFB connection know (RFC 6143 §7.1–7.3). */
export interface RfbState {
  /** The security type that the viewer chose. */
  security: number;
  /** Undefined until the desktop has named its own, or the viewer has chosen one. */
  format: PixelFormat | undefined;
  /** Whether the viewer has asked for a picture, which the desktop sends in the format of that moment. */
  hasAsked: boolean;
}

export interface PixelFormat {
  readonly bytes: number;
  /** Bytes of a pixel where Tight leaves out what is not used. */
  readonly tightBytes: number;
}

export const VERSION_3_8 = 'RFB 003.008\n';
export const SECURITY_NONE = 1;
export const SECURITY_VNC = 2;

export function newRfbState(): RfbState {
  return { security: 0, format: undefined, hasAsked: false };
}

/** @throws Error for a format of which the size is not known */
export function pixelFormatOf(bytes: Buffer): PixelFormat {
  const bits = bytes.readUInt8(0);
  if (bits !== 8 && bits !== 16 && bits !== 32) throw new Error(`a pixel of ${bits} bits`);
  const maxima = [4, 6, 8].map((at) => bytes.readUInt16BE(at));
  const isPacked = bits === 32 && bytes.readUInt8(1) === 24 && bytes.readUInt8(3) !== 0 && maxima.every(is255);
  const isOdd = [10, 11, 12].some((at) => bytes.readUInt8(at) % 8 !== 0);
  // Programs differ in whether Tight packs such a pixel.
  if (isPacked && isOdd) throw new Error('a pixel with colours that are no bytes');
  return { bytes: bits / 8, tightBytes: isPacked ? 3 : bits / 8 };
}

function is255(value: number): boolean {
  return value === 255;
}
