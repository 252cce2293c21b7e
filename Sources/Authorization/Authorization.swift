// What a token allows: claims, the permission grammar and the one decision function that client and server share.
// Verifying signatures, reading clocks and talking to servers do not belong here.
