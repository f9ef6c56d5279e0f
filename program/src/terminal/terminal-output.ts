/** What the daemon's screens and the gateway's page of terminals share; the build makes one script of it for the page. */
export { useCharacterWidths } from './character-widths.ts';
export { OutputFilter } from './output-filter.ts';
