import type { Size } from '../../../core/desktop/desktop.ts';

/** Width and height of a PNG, JPEG or WebP image; zeros for other bytes. */
export function imageSize(bytes: Buffer): Size {
  if (bytes.readUInt32BE(0) === 0x89_50_4e_47) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.readUInt16BE(0) === 0xff_d8) return jpegSize(bytes);
  return bytes.toString('latin1', 8, 12) === 'WEBP' ? webpSize(bytes) : { width: 0, height: 0 };
}

/** The first start-of-frame segment (ITU-T T.81 §B.2.2). */
function jpegSize(bytes: Buffer): Size {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return { width: 0, height: 0 };
}

/** RFC 9649 §2.5–2.7. */
function webpSize(bytes: Buffer): Size {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3f_ff) + 1, height: ((bits >> 14) & 0x3f_ff) + 1 };
    }
    default:
      return { width: bytes.readUInt16LE(26) & 0x3f_ff, height: bytes.readUInt16LE(28) & 0x3f_ff };
  }
}
