// The code of RFC 7541, appendix B, is canonical: the characters by the length of their code say everything. Characters with
// longer codes than these do not occur in what we read.
const charactersByLength: Readonly<Record<number, string>> = {
  5: '012aceiost',
  6: ' %-./3456789=A_bdfghlmnpru',
  7: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz',
  8: '&*,;XZ',
  10: '!"()?',
  11: "'+|",
  12: '#>',
  13: '\0$@[]~',
  14: '^}',
  15: '<`{',
};

const longest = 15;
const characters = new Map<string, string>();
for (let length = 1, code = 0; length <= longest; length += 1, code *= 2) {
  for (const character of charactersByLength[length] ?? '') {
    characters.set(`${length}:${code}`, character);
    code += 1;
  }
}

/** Text that HTTP/2 header compression wrote in Huffman code. */
export function huffmanText(bytes: Buffer): string {
  let text = '';
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = (code << 1) | ((byte >> bit) & 1);
      length += 1;
      const character = characters.get(`${length}:${code}`);
      if (character !== undefined) {
        text += character;
        code = 0;
        length = 0;
      } else if (length > longest) throw new Error('a character outside the Huffman codes known here');
    }
  }
  return text;
}
