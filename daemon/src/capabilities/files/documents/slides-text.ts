import type { Unzipped } from 'fflate';
import { Parser } from 'saxen';
import {
  boundsOf,
  DocumentFault,
  type DocumentSection,
  type DocumentTask,
  type DocumentText,
} from './document-task.ts';
import { unzipXml } from './unzip-xml.ts';

const FOLDER = 'ppt/';

export function slidesText({ bytes, range }: DocumentTask): DocumentText {
  const parts = unzipXml(bytes);
  const names = slidesOf(parts);
  const { first, last } = boundsOf(range, names.length, 'slides');
  const chosen = names.slice(first - 1, last);
  const sections: DocumentSection[] = chosen.map((name, at) => ({
    title: `Slide ${first + at}`,
    text: textOf(xmlOf(parts, name)),
  }));
  return { sections, count: names.length };
}

/** The parts of the slides in the order of the presentation (ECMA-376 part 1, §19.2.1.34 and §9.2). */
function slidesOf(parts: Unzipped): string[] {
  const targets = new Map<string, string>();
  onTags(xmlOf(parts, `${FOLDER}_rels/presentation.xml.rels`), (name, attributes) => {
    if (name === 'Relationship') targets.set(attributes['Id'] ?? '', attributes['Target'] ?? '');
  });
  const ids: string[] = [];
  onTags(xmlOf(parts, `${FOLDER}presentation.xml`), (name, attributes) => {
    if (name === 'sldId') ids.push(attributes['r:id'] ?? '');
  });
  return ids.map((id) => {
    const target = targets.get(id) ?? '';
    return target.startsWith('/') ? target.slice(1) : FOLDER + target;
  });
}

/** The text of the paragraphs (DrawingML `a:p`, §21.1.2.2.6), a line each. */
function textOf(xml: string): string {
  const lines: string[] = [];
  let line = '';
  let isText = false;
  const parser = new Parser();
  parser.on('openTag', (tag) => {
    const name = localName(tag);
    if (name === 't') isText = true;
    else if (name === 'br') line += '\n';
  });
  parser.on('closeTag', (tag) => {
    const name = localName(tag);
    if (name === 't') isText = false;
    if (name !== 'p') return;
    if (line.trim() !== '') lines.push(line);
    line = '';
  });
  parser.on('text', (value, decode) => {
    if (isText) line += decode(value);
  });
  parser.on('cdata', (value) => {
    if (isText) line += value;
  });
  parse(parser, xml);
  return lines.join('\n');
}

function onTags(xml: string, tag: (name: string, attributes: Readonly<Record<string, string>>) => void): void {
  const parser = new Parser();
  parser.on('openTag', (name, attributes) => tag(localName(name), attributes()));
  parse(parser, xml);
}

function parse(parser: Parser, xml: string): void {
  parser.on('error', (error) => {
    throw new DocumentFault(`a part of it is not valid XML: ${error.message}`);
  });
  parser.parse(xml);
}

function xmlOf(parts: Unzipped, name: string): string {
  const bytes = parts[name];
  if (bytes === undefined) throw new DocumentFault(`it has no part ${name}`);
  return new TextDecoder().decode(bytes);
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}
