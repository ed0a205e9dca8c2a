/** One conversation. */
export interface Vector {
  readonly username: string;
  readonly password: string;
  readonly challenge: string;
  readonly clientNonce: string;
  readonly response: string;
  readonly proof: string;
}

/** Conversations of Java's own SASL client and server (OpenJDK 17, javax.security.sasl, service zookeeper at zk-sasl-md5). */
export const vectors: readonly (readonly [string, Vector])[] = [
  [
    'ASCII',
    {
      username: 'chris',
      password: 'secret',
      challenge:
        'realm="elwood.innosoft.com",nonce="h38WynLQRl06FrcJVqDkKBsGgMhrhVN/71sF/zyW",charset=utf-8,algorithm=md5-sess',
      clientNonce: '43tO31g4NKsC7zWaOWVXYDxmaq/KhrrDkk27F7YA',
      response:
        'charset=utf-8,username="chris",realm="elwood.innosoft.com",nonce="h38WynLQRl06FrcJVqDkKBsGgMhrhVN/71sF/zyW",nc=00000001,cnonce="43tO31g4NKsC7zWaOWVXYDxmaq/KhrrDkk27F7YA",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=4214148cd24c5274e8d031f4ad2c4d3a,qop=auth',
      proof: 'rspauth=d53f2ac1ba8f848aed0da551b12663c5',
    },
  ],
  [
    'a server that does not speak UTF-8',
    {
      username: 'chris',
      password: 'secret',
      challenge: 'realm="elwood.innosoft.com",nonce="h6q7mapuK6yCv+fslTaSt+20p4JA8x5u09DnRc0Q",algorithm=md5-sess',
      clientNonce: 'Fbu+/n9Fxg0C5lgz0Wlpf/qGNsL9yrr9gmh7PLx3',
      response:
        'username="chris",realm="elwood.innosoft.com",nonce="h6q7mapuK6yCv+fslTaSt+20p4JA8x5u09DnRc0Q",nc=00000001,cnonce="Fbu+/n9Fxg0C5lgz0Wlpf/qGNsL9yrr9gmh7PLx3",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=1874519317865b1da4934a0416d01f19,qop=auth',
      proof: 'rspauth=794d46db5e9fb51354aa4d1d72bd5a16',
    },
  ],
  [
    'quotes and backslashes',
    {
      username: 'al"i\\ce',
      password: 'pa"ss\\word',
      challenge:
        'realm="re\\"al\\\\m",nonce="chSEoZoSBVCcY0wHXf0wDsB7pie6oFG5yqjABRFL",charset=utf-8,algorithm=md5-sess',
      clientNonce: 'DvnaY7qXtKAs4hIFeDGgLu5xjREtoPKgQbbS/McC',
      response:
        'charset=utf-8,username="al\\"i\\\\ce",realm="re\\"al\\\\m",nonce="chSEoZoSBVCcY0wHXf0wDsB7pie6oFG5yqjABRFL",nc=00000001,cnonce="DvnaY7qXtKAs4hIFeDGgLu5xjREtoPKgQbbS/McC",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=884d24188010b43aa07cb58032735ad8,qop=auth',
      proof: 'rspauth=08457f2039a8aeb460e18cdb7ce1cc7c',
    },
  ],
  [
    'letters of ISO 8859-1',
    {
      username: 'müller',
      password: 'grün',
      challenge:
        'realm="zk-sasl-md5",nonce="IVOi0GvbWl5ebcVIy/P3f8UoOcGU7R+kie74r2Yf",charset=utf-8,algorithm=md5-sess',
      clientNonce: '75yFziZ2v68OTMclh47bOxR/0L5B5kmdj4QPvGvL',
      response:
        'charset=utf-8,username="müller",realm="zk-sasl-md5",nonce="IVOi0GvbWl5ebcVIy/P3f8UoOcGU7R+kie74r2Yf",nc=00000001,cnonce="75yFziZ2v68OTMclh47bOxR/0L5B5kmdj4QPvGvL",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=d6c5206f1726c797ccee99a1d14992b7,qop=auth',
      proof: 'rspauth=ad5458940bcaca4acdddcf164cd1d0e6',
    },
  ],
  [
    'Cyrillic letters',
    {
      username: 'иван',
      password: 'пароль',
      challenge:
        'realm="zk-sasl-md5",nonce="ePOVpVmnyIdGJrhsy5gFfK4DcaeaMATFcxFus6E/",charset=utf-8,algorithm=md5-sess',
      clientNonce: 'DwGIzvv0nHeHVImiYE2QMYC07lH7lrR0PBy9PZTV',
      response:
        'charset=utf-8,username="иван",realm="zk-sasl-md5",nonce="ePOVpVmnyIdGJrhsy5gFfK4DcaeaMATFcxFus6E/",nc=00000001,cnonce="DwGIzvv0nHeHVImiYE2QMYC07lH7lrR0PBy9PZTV",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=bc01858f05a64763f8a91194042dd718,qop=auth',
      proof: 'rspauth=74974ae92b10325c84f4dc953ec96693',
    },
  ],
  [
    'signs beyond the basic plane',
    {
      username: 'ivan',
      password: 'пароль😀',
      challenge:
        'realm="zk-sasl-md5",nonce="rQ+nf9iQQJQl4aIwCYO544i0oz2Bs+cDp0vbzqyL",charset=utf-8,algorithm=md5-sess',
      clientNonce: 'k/94ihogggRdtzQ+1CuHKhGrLtt8AG9tXqp9TdDC',
      response:
        'charset=utf-8,username="ivan",realm="zk-sasl-md5",nonce="rQ+nf9iQQJQl4aIwCYO544i0oz2Bs+cDp0vbzqyL",nc=00000001,cnonce="k/94ihogggRdtzQ+1CuHKhGrLtt8AG9tXqp9TdDC",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=1ebc16444ab20cedf093226924a7afc4,qop=auth',
      proof: 'rspauth=f351d1f82023e55957698780e0b71206',
    },
  ],
  [
    'a realm that needs UTF-8 beside a user and a password that do not',
    {
      username: 'müller',
      password: 'grün',
      challenge: 'realm="域",nonce="nnhnOFCEn05jxB2Iuv2+y6H+6pRUb4zuwgpWfR7A",charset=utf-8,algorithm=md5-sess',
      clientNonce: '5A4w4PCeg1wQhV1IRvwPNPWafhZfX2DjtJE7R+IX',
      response:
        'charset=utf-8,username="müller",realm="域",nonce="nnhnOFCEn05jxB2Iuv2+y6H+6pRUb4zuwgpWfR7A",nc=00000001,cnonce="5A4w4PCeg1wQhV1IRvwPNPWafhZfX2DjtJE7R+IX",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=2e4f94756b5d53a388112df97ea1803d,qop=auth',
      proof: 'rspauth=b0c4cd87e816fee5f25904d7e962c789',
    },
  ],
];
