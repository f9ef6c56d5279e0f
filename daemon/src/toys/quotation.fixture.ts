import { definePort } from '../core/ports/port.ts';

/** The port between the toys. */
export const QUOTATION = definePort<(text: string) => string>('quotation');
