import { CAPABILITIES } from '../capabilities/index.ts';
import { notes } from './notes/index.fixture.ts';
import { quotes } from './quotes/index.fixture.ts';

/** The product with two more capabilities. */
export const WITH_TOYS = [...CAPABILITIES, notes, quotes];
